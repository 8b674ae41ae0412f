"use strict";
(() => {
  const steps = [...document.querySelectorAll(".step")];
  const buttons = [...document.querySelectorAll("[data-step]")];
  const back = document.getElementById("back");
  const next = document.getElementById("next");
  const announce = document.getElementById("announce");
  const theme = document.getElementById("theme");
  let at = 0;

  const show = (wanted, move) => {
    at = Math.max(0, Math.min(steps.length - 1, wanted));
    steps.forEach((step, place) => step.classList.toggle("current", place === at));
    buttons.forEach((button, place) => {
      if (place === at) {
        button.setAttribute("aria-current", "step");
        const strip = button.closest("ol");
        strip.scrollLeft = button.offsetLeft - strip.offsetLeft - strip.clientWidth / 2 + button.offsetWidth / 2;
      } else {
        button.removeAttribute("aria-current");
      }
    });
    steps[at].querySelectorAll("[data-at]").forEach((region) => {
      region.scrollLeft = region.dataset.at * region.scrollWidth - region.clientWidth / 2;
    });
    back.setAttribute("aria-disabled", String(at === 0));
    next.setAttribute("aria-disabled", String(at === steps.length - 1));
    if (move) {
      announce.textContent = steps[at].querySelector("h2").textContent;
      history.replaceState(null, "", "#" + steps[at].id);
      // A reader far down in a long step is led to the beginning of the next one.
      const bar = document.querySelector("nav").getBoundingClientRect();
      const top = steps[at].getBoundingClientRect().top;
      if (top < bar.bottom) window.scrollBy(0, top - bar.bottom);
    }
  };

  const fromAddress = () => {
    const place = steps.findIndex((step) => "#" + step.id === location.hash);
    return place < 0 ? 0 : place;
  };

  buttons.forEach((button, place) => button.addEventListener("click", () => show(place, true)));
  back.addEventListener("click", () => show(at - 1, true));
  next.addEventListener("click", () => show(at + 1, true));
  window.addEventListener("hashchange", () => show(fromAddress(), false));
  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    // Inside a drawing that scrolls, arrows scroll it.
    if (event.target.closest(".scroll")) return;
    const goal = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: steps.length - 1 }[event.key];
    if (goal === undefined) return;
    event.preventDefault();
    show(goal, true);
  });
  theme.addEventListener("click", () => {
    const root = document.documentElement;
    const dark = root.dataset.theme
      ? root.dataset.theme === "dark"
      : window.matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
  });

  document.body.classList.add("stepping");
  if (steps.length > 0) show(fromAddress(), false);
})();
