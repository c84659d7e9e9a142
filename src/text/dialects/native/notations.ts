import type { Notation } from '../raw-call.ts'
import { anthropic } from './anthropic.ts'
import { barCall } from './bar-call.ts'
import { deepseek } from './deepseek.ts'
import { functionXml } from './function-xml.ts'
import { glm } from './glm.ts'
import { harmony } from './harmony.ts'
import { jsonCarriers } from './json-carriers.ts'
import { kimi, kimiElements } from './kimi.ts'
import { mistral } from './mistral.ts'
import { pythonMarkers } from './python-markers.ts'
import { qwenXml } from './qwen-xml.ts'
import { toolUse } from './tool-use.ts'

/** Every notation with an opening token. Where several openers fit, the first that can read what follows has it. */
export const notations: Notation[] = [
  glm,
  qwenXml,
  functionXml,
  toolUse,
  barCall,
  kimi,
  kimiElements,
  deepseek,
  harmony,
  mistral,
  pythonMarkers,
  anthropic,
  ...jsonCarriers,
]

/** One look decides for most places that no notation begins there. */
export const anyOpener = new RegExp(notations.map(notation => `(?:${notation.opener.source})`).join('|'), 'y')
