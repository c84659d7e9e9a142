const MOST_BYTES = 4096

interface Form {
  id: string
  why: string
  test: (path: string) => boolean
  hits: string[]
  misses: string[]
}

const ANY_FORMS: Form[] = [
  {
    id: 'empty',
    why: 'it is empty',
    test: path => path === '',
    hits: [''],
    misses: ['.'],
  },
  {
    id: 'control-character',
    why: 'it holds a control character',
    test: path => /[\u0000-\u001f\u007f-\u009f]/.test(path),
    hits: ['a\u0000b', 'a\nb', 'a\u009bb'],
    misses: ['a b', 'ä'],
  },
  {
    id: 'too-long',
    why: `it is longer than ${MOST_BYTES} bytes`,
    test: path => path.length > MOST_BYTES || (path.length * 3 > MOST_BYTES && Buffer.byteLength(path) > MOST_BYTES),
    hits: ['a'.repeat(MOST_BYTES + 1), 'ä'.repeat(MOST_BYTES / 2 + 1)],
    misses: ['a'.repeat(MOST_BYTES)],
  },
  {
    id: 'url',
    why: 'it is a URL',
    test: path => /^[A-Za-z][A-Za-z0-9+.-]*:\/\//.test(path) || /^(?:file|data|javascript):/i.test(path),
    hits: ['https://x.io/a', 'file:///etc/passwd', 'FILE:/etc/passwd'],
    misses: ['a:b', 'src/http://x', 'C:/a'],
  },
]

const WINDOWS_FORMS: Form[] = [
  {
    id: 'device-path',
    why: 'it is a device or network path',
    test: path => /^[\\/]{2}/.test(path),
    hits: ['\\\\?\\C:\\a', '\\\\server\\share', '//server/share'],
    misses: ['C:\\a'],
  },
  {
    id: 'drive-relative',
    why: 'it depends on the current folder of a drive',
    test: path => /^[A-Za-z]:(?![\\/])/.test(path),
    hits: ['C:a'],
    misses: ['C:\\a', 'C:/a'],
  },
  {
    id: 'stream',
    why: 'it names a stream of a file',
    test: path => path.replace(/^[A-Za-z]:/, '').includes(':'),
    hits: ['a.txt:hidden', 'C:\\a.txt::$DATA'],
    misses: ['C:\\a.txt'],
  },
  {
    id: 'reserved-name',
    why: 'it holds a reserved name',
    test: path => path.split(/[\\/]/).some(part => /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:[. ]|$)/i.test(part)),
    hits: ['NUL', 'a\\con.txt', 'com1'],
    misses: ['console', 'nullable.ts'],
  },
]

export const MALFORMED_FORMS = { posix: ANY_FORMS, windows: [...ANY_FORMS, ...WINDOWS_FORMS] }

/** Why a path cannot be meant, or null. */
export function malformed(path: string, platform: 'posix' | 'windows' = 'posix'): string | null {
  return MALFORMED_FORMS[platform].find(form => form.test(path))?.why ?? null
}
