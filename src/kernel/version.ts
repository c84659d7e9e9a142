declare const QED_VERSION: string | undefined

/** Put in by the build; running from source has no version of its own. */
export const version: string = typeof QED_VERSION === 'string' ? QED_VERSION : '0.0.0-source'
