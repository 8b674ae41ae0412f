// The page of `qttt serve`: a socket to the server, and what the page's address asks for.

import { App } from "./app.js";
import { Socket } from "./link.js";

/** What the address asks for, after its #. A plus sign is a superposition's, not a space. */
function asked() {
  const pairs = location.hash.slice(1).split("&").map((part) => part.split(/=(.*)/s).slice(0, 2));
  return Object.fromEntries(pairs.map(([key, value]) => [key, decoded(value ?? "")]));
}

/** @param {string} text */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const secure = location.protocol === "https:" ? "wss:" : "ws:";
const socket = new Socket(`${secure}//${location.host}/socket`);
const app = new App(/** @type {HTMLElement} */ (document.getElementById("page")), socket, {
  address: `${location.origin}${location.pathname}`,
  joined: (room, key) => history.replaceState(null, "", `#${new URLSearchParams({ room, key })}`),
});

/** @param {string} [token] the owner's, kept for this tab */
function token(token) {
  try {
    if (token) sessionStorage.setItem("qttt-token", token);
    return token ?? sessionStorage.getItem("qttt-token") ?? undefined;
  } catch {
    return token;
  }
}

/** Say who this is, and go where the address says: to a room, to a record, else to a game like the last. */
async function start() {
  const { token: given, room, key, ...record } = asked();
  const owner = token(given);
  const who = owner ? { token: owner } : {};
  const welcomed = await app.try(app.table.send("hello", room && key ? { ...who, room, key } : who, "welcome"));
  if (!welcomed) {
    // A room that is gone: say so, and welcome the page without it.
    const note = app.note;
    if (room && (await app.try(app.table.send("hello", who, "welcome")))) {
      await app.open(app.firstGame());
      app.note = note;
      app.render();
    }
    return;
  }
  if (room && key) return;
  const { level, options, first, game } = record;
  const opened = game !== undefined && (await app.open({ ...(level ? { level: Number(level) } : {}), ...(options ? { options } : {}), ...(first ? { first } : {}), record: game }));
  if (!opened) await app.open(app.firstGame());
}

socket.up = () => void start();
// The address is changed by hand: a record or a room to go to.
addEventListener("hashchange", () => void start());
socket.open();
