// The line to a table: messages out, answers by their number, the state whenever it comes.

/** @typedef {import("./types").Message} Message */
/** @typedef {import("./types").Transport} Transport */

/** A message that the table refused; the text is one line for a person. */
export class Refused extends Error {}

/** A line that comes back by itself, and makes one of a socket. */
export class Socket {
  /** @param {string} address of the WebSocket */
  constructor(address) {
    this.address = address;
    this.tries = 0;
    this.closed = false;
    /** @type {(message: Message) => void} */
    this.receive = () => {};
    this.up = () => {};
    /** @type {(seconds: number) => void} */
    this.down = () => {};
    /** @type {WebSocket | null} */
    this.socket = null;
    /** @type {number | undefined} */
    this.timer = undefined;
    // A laptop that wakes up, or a network that is back, need not wait for the next try.
    const now = () => {
      if (this.socket === null && !this.closed && !document.hidden) this.open();
    };
    addEventListener("online", now);
    document.addEventListener("visibilitychange", now);
  }

  open() {
    clearTimeout(this.timer);
    const socket = new WebSocket(this.address);
    this.socket = socket;
    socket.addEventListener("open", () => {
      this.tries = 0;
      this.up();
    });
    socket.addEventListener("message", (event) => this.receive(JSON.parse(event.data)));
    socket.addEventListener("close", () => {
      if (this.socket !== socket) return;
      this.socket = null;
      if (this.closed) return;
      const seconds = Math.min(10, 0.5 * 2 ** this.tries++);
      this.down(seconds);
      this.timer = setTimeout(() => this.open(), 1000 * seconds);
    });
  }

  /** @param {object} message */
  send(message) {
    if (this.socket?.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify(message));
    return true;
  }

  close() {
    this.closed = true;
    this.socket?.close();
  }
}

/** Messages with numbers, and who waits for their answers. */
export class Table {
  /** @param {Transport} transport */
  constructor(transport) {
    this.transport = transport;
    // Several pages may hear the answers of one widget.
    this.number = Math.floor(1e9 * Math.random());
    this.n = 0;
    /** @type {Map<number, {type: string, kind: string, done: (message: any) => void, failed: (error: Error) => void, progress?: (says: string) => void}>} */
    this.waiting = new Map();
    /** @type {(message: any) => void} */
    this.state = () => {};
    /** @type {(message: any) => void} */
    this.welcome = () => {};
    /** @type {(message: any) => void} */
    this.joined = () => {};
    transport.receive = (message) => this.receive(message);
  }

  /** @param {Message} message */
  receive(message) {
    const waits = message.id === undefined ? undefined : this.waiting.get(message.id);
    if (message.type === "progress") {
      waits?.progress?.(message.says);
      return;
    }
    const answers = waits && message.id !== undefined && (message.type === "error" || message.type === waits.type);
    if (answers) this.waiting.delete(/** @type {number} */ (message.id));
    if (message.type === "welcome") this.welcome(message);
    if (message.type === "joined") this.joined(message);
    if (message.type === "state") {
      this.n = message.n;
      this.state(message);
    }
    // A message that could not be read at all: whoever waits is told, since nobody knows which it was.
    if (message.type === "error" && typeof message.id !== "number") this.forget(message.says);
    if (!answers) return;
    if (message.type === "error") waits.failed(new Refused(message.says));
    else waits.done(message.type === "answer" ? message.answer : message);
  }

  /** Whether something that changes the game was sent and is not answered yet. */
  get acting() {
    return [...this.waiting.values()].some(({ type }) => type === "state" || type === "joined");
  }

  /**
   * Nobody will answer what was sent so far.
   * @param {string} why
   */
  forget(why) {
    const waits = [...this.waiting.values()];
    this.waiting.clear();
    for (const one of waits) one.failed(new Refused(why));
  }

  /**
   * Send a message.
   * @param {string} type
   * @param {object} [keys]
   * @param {string} [answer] the type of message that answers it
   * @param {(says: string) => void} [progress]
   * @returns {Promise<any>} the answer
   */
  send(type, keys = {}, answer = "state", progress = undefined) {
    const id = ++this.number;
    return new Promise((done, failed) => {
      const kind = type === "ask" ? `ask ${/** @type {any} */ (keys).what}` : type;
      // A newer question of a kind cancels the older one, which gets no answer.
      if (type === "ask") for (const [other, waits] of this.waiting) if (waits.kind === kind) this.waiting.delete(other);
      this.waiting.set(id, { type: answer, kind, done, failed, progress });
      if (!this.transport.send({ type, id, ...keys })) {
        this.waiting.delete(id);
        failed(new Refused("the line is lost; nothing was sent"));
      }
    });
  }

  /**
   * Do something to the game as this page knows it.
   * @param {string} type
   * @param {object} [keys]
   */
  act(type, keys = {}) {
    return this.send(type, { n: this.n, ...keys });
  }

  /**
   * Ask something; a newer question of the same kind makes an older one end without an answer.
   * @param {string} what
   * @param {object} [keys]
   * @param {(says: string) => void} [progress]
   */
  ask(what, keys = {}, progress = undefined) {
    return this.send("ask", { n: this.n, what, ...keys }, "answer", progress);
  }
}
