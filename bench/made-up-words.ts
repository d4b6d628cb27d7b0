const syllables = "ka lo mi re sta vor den ing pla tru bel nos qui ter fan gol hap jur wix zen".split(" ")

/** A word that is unique to the number. */
export function spell(index: number): string {
  let spelled = ""
  for (let rest = index; rest > 0; rest = Math.floor(rest / syllables.length)) {
    spelled += syllables[rest % syllables.length] ?? ""
  }
  return spelled
}

/** A repeatable sequence of numbers from 0 to 1. */
export function sequence(seed: number): () => number {
  let state = seed
  return () => (state = (state * 16_807) % 2_147_483_647) / 2_147_483_647
}
