import { lazy, type ComponentType } from "react"
import { fetchLaterStrings } from "./words/language.ts"

/** A box that restarts is back within this time, in all. */
const tries = 20
const betweenMs = 500

/** What failed once would never be fetched again otherwise, and a part of the page be broken until it is loaded anew. */
async function insist<T>(load: () => Promise<T>): Promise<T> {
  for (let left = tries; ; left--) {
    try {
      return await load()
    } catch (error) {
      if (left === 0) throw error
      await new Promise((resolve) => setTimeout(resolve, betweenMs))
    }
  }
}

/** A part of the page that is fetched when it is first drawn, together with the strings that only such parts use. */
export const later = <Props>(load: () => Promise<ComponentType<Props>>) =>
  lazy(async () => {
    const [part] = await insist(() => Promise.all([load(), fetchLaterStrings()]))
    return { default: part }
  })
