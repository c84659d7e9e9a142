export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }
export type JsonObject = { [key: string]: Json }

/** RFC 8785 form: keys in UTF-16 order, no spaces, so that equal values have equal bytes.
 *  Members that are undefined are left out; anything else without a JSON form throws a TypeError. */
export function canonicalJson(value: unknown): string {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return JSON.stringify(value)
    case 'number':
      if (!Number.isFinite(value)) throw new TypeError(`${value} has no JSON form.`)
      return JSON.stringify(value)
    case 'object':
      if (value === null) return 'null'
      return Array.isArray(value) ? `[${value.map(canonicalJson).join(',')}]` : canonicalObject(value)
    default:
      throw new TypeError(`A ${typeof value} has no JSON form.`)
  }
}

// Not JSON.stringify with sorted keys: an object always lists integer-like keys first ("9" before "10"), RFC 8785 does not.
function canonicalObject(value: object): string {
  let members = ''
  for (const key of Object.keys(value).sort()) {
    const member: unknown = value[key as keyof typeof value]
    if (member !== undefined) members += `${members && ','}${JSON.stringify(key)}:${canonicalJson(member)}`
  }
  return `{${members}}`
}

export function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The value of a JSON text, or undefined where it is none. */
export function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}
