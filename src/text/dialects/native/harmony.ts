import { skipBlanks } from '../../blanks.ts'
import type { Notation } from '../raw-call.ts'
import { isKnownName } from '../tools.ts'
import { readArgumentsObject } from './arguments-object.ts'

const CLOSERS = ['<|call|>', '<|end|>', '<|return|>']
/** Recipients that are no tools. */
const PEOPLE = new Set(['assistant', 'user', 'system', 'developer', 'all'])

export const harmony: Notation = {
  source: 'harmony',
  opener:
    /(?:<\|start\|>[^<]{0,200})?(?:<\|channel\|>[^<]{0,200})?(?:<\|constrain\|>[^<]{0,64})?(?:<\|channel\|>[^<]{0,200})?(?:<\|constrain\|>[^<]{0,64})?<\|message\|>/y,
  read(context, opened) {
    const { text, tools, end } = context
    const name = /(?:^|[\s>])to=([^\s<]{1,128})/.exec(opened[0])?.[1]
    if (name === undefined || PEOPLE.has(name)) return undefined
    if (!name.startsWith('functions.') && tools.given && !isKnownName(name, tools)) return undefined
    const at = skipBlanks(text, opened.index + opened[0].length, end)
    return readArgumentsObject(context, at, { name, source: 'harmony', start: opened.index, closers: [CLOSERS] })
  },
}
