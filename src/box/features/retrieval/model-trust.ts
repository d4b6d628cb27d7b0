/** The keyword ranking's best passage at rank 0, 3, 9 of the semantic one counts as an agreement of 1, 1/2, 1/4. */
const halfAtRank = 3
const prior = { agreement: 0.5, queries: 10 }
/** Older queries fade: a model is judged by about so many. */
const memory = 200
/** Below this a model knows less than the words do. Weak models on languages they never saw reach 0.1 to 0.5. */
const provenAt = 0.65
const weightPerAgreement = 2

/**
 * Learns how far an embedding model can be trusted, separately for each language: a model that understands a language
 * mostly finds again what its words find. Until it has shown that, it changes nothing that keywords have found.
 */
export function createModelTrust() {
  const languages = new Map<string, { sum: number; queries: number }>()

  const of = (language: string | null) =>
    languages.get(language ?? "") ?? { sum: prior.agreement * prior.queries, queries: prior.queries }

  return {
    /** To be told both rankings of a query, best first. */
    observe(language: string | null, keyword: readonly string[], semantic: readonly string[]): void {
      const [best] = keyword
      if (best === undefined || semantic.length === 0) return
      const rank = semantic.indexOf(best)
      const agreement = rank < 0 ? 0 : 1 / (1 + rank / halfAtRank)
      const { sum, queries } = of(language)
      const fading = queries >= memory ? 1 - 1 / memory : 1
      languages.set(language ?? "", { sum: sum * fading + agreement, queries: queries * fading + 1 })
    },

    /** How much the semantic ranking counts beside the keyword ranking's 1; 0 while nothing is proven. */
    weight(language: string | null): number {
      const { sum, queries } = of(language)
      return Math.max(0, sum / queries - provenAt) * weightPerAgreement
    },
  }
}
