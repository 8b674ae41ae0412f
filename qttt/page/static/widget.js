// The board in a notebook: anywidget's model carries the messages of a page, and one game is all there is.

import { App } from "./app.js";

/** @typedef {{send: (message: object) => void, on: (name: string, act: (message: any) => void) => void, off: (name: string, act: (message: any) => void) => void}} Model */

/** @param {{model: Model, el: HTMLElement}} place */
function render({ model, el }) {
  /** @type {import("./types").Transport} */
  const transport = {
    send(message) {
      model.send(message);
      return true;
    },
    receive: () => {},
    up: () => {},
    down: () => {},
    close: () => {},
  };
  // Keys on the board are its own, not the notebook's.
  el.setAttribute("data-lm-suppress-shortcuts", "true");
  const app = new App(el, transport, { single: true });
  /** @param {any} message */
  const receive = (message) => transport.receive(message);
  model.on("msg:custom", receive);
  void app.try(app.table.send("hello", {}, "welcome"));
  return () => model.off("msg:custom", receive);
}

export default { render };
