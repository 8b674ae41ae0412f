// The shapes of qttt/page/protocol.py, for `tsc --checkJs`; no page loads this file.

export type Player = "X" | "O";
export interface DieReport { shape: string; owner: string; colour: string; value: number }
export interface SquareReport { state: "empty" | "dice" | "observed"; symbol: string | null; dice: DieReport[]; open_to: string | null }
export interface SquarePicture { name: string; label: string; says: string; dice: { paint: string; letter: string }[] }
export interface LinkReport { kind: string; squares: number[] }
export interface SquareOdds { X: number; O: number; empty: number }
export interface OddsReport { mode: string; full: boolean; outcomes: Record<string, number>; result: Record<string, number>; squares: SquareOdds[] }
export interface Choice { token: string; kind: string; squares: number[]; before: boolean; after: boolean }
export interface Kind { word: string; sign: string; verb: string; attacks: boolean; fills: number; example: string; first_level: number }
export interface GameEvent { token: string; by: string; kind: string; squares: number[] }
export interface RollReport { says: string; squares: number[]; throws: number[]; yes: boolean }
export interface Observation {
  event: number; what: "board" | "positions" | "square"; mode: string | null; cells: string; chance: number; order: number[];
  lines: Record<string, number[][]> | null; before: Record<string, number> | null; backend: string | null;
  shots: number | null; illegal: number | null; herald_failed: number | null; impossible: Record<string, number>; rolls: RollReport[];
}
export type Can = Record<"play" | "observe" | "undo" | "draw" | "resign" | "accept" | "decline" | "rematch" | "hurry", boolean>;
export interface State {
  type: "state"; n: number; room: string; you: string[]; game: number; level: number; level_name: string; options: string; first: string; backend: string;
  phase: "move" | "observation" | "mode" | "over"; turn: string | null; initiator: string | null; decides: string | null;
  says: string; asks: string; result: string; how: string | null; lines: Record<string, number[][]> | null;
  seats: Record<string, { player: string; computer: boolean; here: boolean }>;
  dice: { view: string; squares: SquareReport[]; positions: string | null }; odds: OddsReport; odds_rotated: OddsReport | null;
  choices: Choice[]; modes: string[]; events: GameEvent[]; links: LinkReport[]; picture: SquarePicture[];
  roots: { squares: number[]; dice: [number, number][] }[];
  luck: string | null; observation: Observation | null; offer: { kind: string; by: string } | null;
  thinking: { by: string; seconds: number; doing: string } | null;
  clock: { X: number; O: number; increment: number; runs: string | null } | null; can: Can;
}
export interface LevelRow { number: number; name: string; kinds: string[]; modes: string[]; views: boolean }
export interface OptionRow { written: string; name: string; takes: string; levels: number[]; summary: string }
export interface Welcome {
  type: "welcome"; version: string; owner: boolean; levels: LevelRow[]; options: OptionRow[]; kinds: Kind[];
  players: { name: string; summary: string; levels: number[] }[]; backends: { name: string; kind: string; summary: string; owner: boolean }[];
}
export interface Joined { type: "joined"; room: string; key: string; you: string[]; keys?: Record<string, string> }
export interface Message { type: string; id?: number; [key: string]: any }
/** Carries messages to a table and back; `send` of a lost line gives false. */
export interface Transport { send(message: object): boolean; receive: (message: Message) => void; up: () => void; down: (seconds: number) => void; close(): void }
export interface Term { cells: string; amplitude: number; probability: number; dice: [number, number][]; says: string }
export interface Amplitudes { roots: { squares: number[]; dice: [number, number][]; terms: Term[] }[] }
export interface Gate { name: string; parameters: string[]; qubits: number[] }
export interface Block { label: string; event: number | null; qubits: number[]; gates: Gate[] }
export interface Circuit { qubits: { label: string; square: number | null }[]; blocks: Block[] }
export interface Evaluation { value: number; X: number; tie: number; O: number; exact: boolean; says: string }
export interface Look { shots: number; kept: number; illegal: number; herald_failed: number; boards: Record<string, number>; exact: Record<string, number> }
