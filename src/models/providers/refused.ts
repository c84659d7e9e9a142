/** A model provider that answered, but not with a reply. Has the fields by which such an answer is judged. */
export class Refused extends Error {
  override readonly name = 'Refused'
  readonly statusCode: number | undefined
  readonly responseHeaders: Readonly<Record<string, string | string[] | undefined>>
  readonly responseBody: string
  readonly url: string | undefined
  constructor({
    statusCode,
    headers = {},
    body,
    message,
    url,
  }: Pick<Refused, 'statusCode' | 'message'> & { headers?: Refused['responseHeaders']; body: string; url?: string }) {
    super(message)
    this.statusCode = statusCode
    this.responseHeaders = headers
    this.responseBody = body
    this.url = url
  }
}
