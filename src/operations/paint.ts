/** What a human renderer may use: it names meanings, the surface chooses colours and glyphs. State is always glyph and word;
 *  colour only adds. */
export interface Paint {
  bold: (text: string) => string
  dim: (text: string) => string
  good: (text: string) => string
  bad: (text: string) => string
  careful: (text: string) => string
  accent: (text: string) => string
  glyph: Record<'ok' | 'warn' | 'fail' | 'bullet' | 'arrow', string>
  /** Columns that a line may take. */
  width: number
  /** The person's home folder, which a path may begin with as `~`. */
  home?: string | undefined
}
