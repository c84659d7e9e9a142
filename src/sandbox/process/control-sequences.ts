// CSI, OSC (ended by BEL or ST), DCS/SOS/PM/APC strings, charset choices, other two-byte escapes.
const SEQUENCES =
  // biome-ignore format: one alternative per line
  /\u001b\[[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|\u001b[PX^_][^\u001b]*(?:\u001b\\)?|\u001b[ -/]+[0-~]|\u001b[0-~]|\u009b[0-?]*[ -/]*[@-~]/g
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g

/** The text as it reads without a terminal: sequences that move, colour, title or link are dropped; a line that was drawn over
 *  (a carriage return alone) becomes a line of its own. */
export function withoutControlSequences(text: string): string {
  return text
    .replace(SEQUENCES, '')
    .replace(/\r(?!\n)/g, '\n')
    .replace(CONTROLS, '')
}
