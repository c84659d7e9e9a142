import type { KnownModel, ModelCatalogue } from './schema.ts'

// Facts from public price lists, taken on the day below; rows without a price may be newer. Where two lists disagreed, or a price
// changes with the hour or ends soon, it is left out. Where a model provider asks more for long requests, `context` ends where the
// dearer price begins, so that the price here always holds.

type Row = [model: string, context: number, reply: number, prices?: [input: number, output: number, cached?: number, write?: number]]

const ROWS: Readonly<Record<string, readonly Row[]>> = {
  anthropic: [
    ['claude-fable-5-1', 1_000_000, 128_000, [10, 50, 0.25, 12.5]],
    ['claude-opus-5-5', 1_000_000, 128_000, [4, 20, 0.2, 5]],
    ['claude-opus-5', 1_000_000, 128_000, [5, 25, 0.5, 6.25]],
    ['claude-opus-4-8', 1_000_000, 128_000, [5, 25, 0.5, 6.25]],
    ['claude-opus-4-7', 1_000_000, 128_000, [5, 25, 0.5, 6.25]],
    ['claude-opus-4-6', 200_000, 128_000, [5, 25, 0.5, 6.25]],
    ['claude-opus-4-5', 200_000, 64_000, [5, 25, 0.5, 6.25]],
    ['claude-opus-4-1', 200_000, 32_000, [15, 75, 1.5, 18.75]],
    ['claude-sonnet-5-5', 1_000_000, 128_000],
    ['claude-sonnet-5', 1_000_000, 128_000, [2, 10, 0.2, 2.5]],
    ['claude-sonnet-4-6', 1_000_000, 64_000, [3, 15, 0.3, 3.75]],
    ['claude-sonnet-4-5', 200_000, 64_000, [3, 15, 0.3, 3.75]],
    ['claude-haiku-5-5', 1_000_000, 128_000],
    ['claude-haiku-4-5', 200_000, 64_000, [1, 5, 0.1, 1.25]],
    ['claude-3-5-haiku', 200_000, 8_192, [0.8, 4, 0.08, 1]],
  ],
  openai: [
    ['gpt-6-astra', 272_000, 128_000],
    ['gpt-6-sol', 272_000, 128_000],
    ['gpt-6-luna', 272_000, 128_000],
    ['gpt-5.6', 272_000, 128_000, [2, 10, 0.2, 2.5]],
    ['gpt-5.5', 272_000, 128_000, [5, 30, 0.5]],
    ['gpt-5.4', 272_000, 128_000, [2.5, 15, 0.25]],
    ['gpt-5.3-codex', 400_000, 128_000, [1.75, 14, 0.175]],
    ['gpt-5.2', 400_000, 128_000, [1.75, 14, 0.175]],
    ['gpt-5.1', 400_000, 128_000, [1.25, 10, 0.125]],
    ['gpt-5.1-codex', 400_000, 128_000, [1.25, 10, 0.125]],
    ['gpt-5.1-codex-mini', 400_000, 128_000, [0.25, 2, 0.025]],
    ['gpt-5', 400_000, 128_000, [1.25, 10, 0.125]],
    ['gpt-5-mini', 400_000, 128_000, [0.25, 2, 0.025]],
    ['gpt-5-nano', 400_000, 128_000, [0.05, 0.4, 0.005]],
    ['gpt-4.1', 1_047_576, 32_768, [2, 8, 0.5]],
    ['gpt-4.1-mini', 1_047_576, 32_768, [0.4, 1.6, 0.1]],
    ['gpt-4o', 128_000, 16_384, [2.5, 10, 1.25]],
    ['gpt-4o-mini', 128_000, 16_384, [0.15, 0.6, 0.075]],
    ['o3', 200_000, 100_000, [2, 8, 0.5]],
    ['o4-mini', 200_000, 100_000, [1.1, 4.4, 0.275]],
  ],
  google: [
    ['gemini-3.8-flash', 1_048_576, 65_536],
    ['gemini-3.5-flash', 1_048_576, 65_536, [1.5, 9, 0.15]],
    ['gemini-3.1-pro-preview', 200_000, 65_536, [2, 12, 0.2]],
    ['gemini-3-flash-preview', 1_048_576, 65_536, [0.5, 3, 0.05]],
    ['gemini-2.5-pro', 200_000, 65_536, [1.25, 10, 0.125]],
    ['gemini-2.5-flash', 1_048_576, 65_536, [0.3, 2.5, 0.03]],
    ['gemini-2.5-flash-lite', 1_048_576, 65_536, [0.1, 0.4, 0.01]],
  ],
  groq: [
    ['openai/gpt-oss-120b', 131_072, 65_536, [0.15, 0.6, 0.075]],
    ['openai/gpt-oss-20b', 131_072, 65_536, [0.075, 0.3, 0.0375]],
  ],
  mistral: [
    ['mistral-large-2512', 262_144, 262_144, [0.5, 1.5]],
    ['mistral-medium-2508', 262_144, 262_144, [0.4, 2]],
    ['mistral-small-2506', 128_000, 16_384, [0.1, 0.3]],
    ['devstral-2512', 262_144, 262_144, [0.4, 2]],
    ['codestral-2508', 256_000, 4_096, [0.3, 0.9]],
  ],
  deepseek: [
    ['deepseek-flash', 1_000_000, 384_000],
    ['deepseek-v4-flash', 1_000_000, 384_000],
    ['deepseek-v4-pro', 1_000_000, 384_000],
  ],
  xai: [
    ['grok-4', 128_000, 8_192, [3, 15, 0.75]],
    ['grok-code-fast-1', 256_000, 10_000, [0.2, 1.5, 0.02]],
  ],
}

export const snapshot: ModelCatalogue = {
  at: '2026-10-03',
  models: Object.entries(ROWS).flatMap(([provider, rows]) => rows.map(row => toModel(provider, row))),
}

function toModel(provider: string, [model, context, reply, prices]: Row): KnownModel {
  if (!prices) return { provider, model, context, reply }
  const [input, output, cached, write] = prices
  return { provider, model, context, reply, prices: { in: input, out: output, cached_in: cached, write_in: write } }
}
