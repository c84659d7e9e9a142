/** What carrying out a tool or an operation does to the world. */
export type Effect = 'read' | 'write' | 'execute'
