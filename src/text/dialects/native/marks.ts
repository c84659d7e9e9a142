// Tokens that carry nothing: they leave the text wherever prose stands around them.

/** The ends and headers of messages. */
const MESSAGE_MARKS = [
  '<\\|start\\|>assistant',
  '<\\|channel\\|>[a-z]{1,20}\\s{0,4}<\\|message\\|>',
  '<\\|(?:end|return|eom_id|eot_id|im_end)\\|>',
  '</s>',
]

/** Openers and closers of notations whose call was read already, or that wrap several. */
const CALL_MARKS = [
  '</(?:\\w{1,40}[_:])?tool_calls?>',
  '</function(?:_calls?)?>',
  '</tool_use>',
  '</(?:[\\w.-]{1,40}:|[｜|]DSML[｜|])?(?:invoke|function_calls|tool_calls)>',
  '<\\|/?(?:tool_call|function_call)\\|>',
  '<\\|tool_call_(?:start|end)\\|>',
  '<tool_call\\|>',
  '<\\|tool_calls_section_(?:begin|end)\\|>',
  '<[｜|]tool[▁_]calls?[▁_](?:begin|end)[｜|]>',
  '<\\|(?:START|END)_ACTION\\|>',
  '<\\|tools_(?:prefix|suffix)\\|>',
  '<\\|python_(?:start|end|tag)\\|>',
  '<\\|(?:open|close)\\|>(?:response|tools|message|call)<\\|sep\\|>',
  '<\\|call\\|>',
]

const messageMark = new RegExp(MESSAGE_MARKS.join('|'), 'y')
const anyMark = new RegExp([...MESSAGE_MARKS, ...CALL_MARKS].join('|'), 'y')

/** Behind the mark that stands at `at`; undefined where none does. */
export function markEnd(text: string, at: number, options: { native: boolean }): number | undefined {
  const pattern = options.native ? anyMark : messageMark
  pattern.lastIndex = at
  const found = pattern.exec(text)
  return found ? at + found[0].length : undefined
}
