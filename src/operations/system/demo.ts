export const operations = [] as const
