import type { SettingsSection } from "../../features/settings/section.ts"
import { fit } from "../palette/rank.ts"
import { getSectionWords } from "../palette/section-words.ts"
import { getAddress, type Findable } from "./findable.ts"

export interface FoundSetting {
  address: string
  name: string
  /** The section that contains it; undefined for a section itself. */
  within?: string
}

/** Returns the sections and settings that match a search, best first: by name, or by the start of an alternative name. */
export function findSettings(
  sections: readonly SettingsSection[],
  findable: readonly Findable[],
  search: string,
): FoundSetting[] {
  const byPath = new Map(sections.map((section) => [section.path, section.name()]))
  const all = [
    ...sections.map(({ path, name }) => ({
      found: { address: path, name: name() },
      words: getSectionWords(path).words ?? "",
    })),
    ...findable.flatMap((setting) => {
      const within = byPath.get(setting.path)
      if (within === undefined) return []
      return { found: { address: getAddress(setting), name: setting.name, within }, words: setting.words }
    }),
  ]
  return all
    .map(({ found, words }) => ({ found, rank: getRank(found, words, search) }))
    .filter(({ rank }) => rank > 0)
    .toSorted((one, other) => other.rank - one.rank)
    .map(({ found }) => found)
}

/** A setting's own words rank above those of its section. */
function getRank({ name, within }: FoundSetting, words: string, search: string): number {
  const byWords = fit(words, search) >= 2 ? (within === undefined ? 1.25 : 1.5) : 0
  return Math.max(fit(name, search), byWords)
}
