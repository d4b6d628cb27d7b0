/** Returns a generator of the same numbers in every run, so that failures are reproducible. */
export function createRandom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** Changes some bytes, and cuts, repeats or removes a section. */
export function mutate(bytes: Buffer, random: (below: number) => number): Buffer {
  const mutant = Buffer.from(bytes)
  for (let change = random(8); change >= 0; change--) mutant[random(mutant.length)] = random(256)
  const from = random(mutant.length)
  const to = from + random(40)
  const kind = random(4)
  if (kind === 0) return mutant.subarray(0, from)
  if (kind === 1) return Buffer.concat([mutant.subarray(0, to), mutant.subarray(from)])
  if (kind === 2) return Buffer.concat([mutant.subarray(0, from), mutant.subarray(to)])
  return mutant
}
