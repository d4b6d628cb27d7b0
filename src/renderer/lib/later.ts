import { lazy, type ComponentType } from "react"
import { fetchLaterStrings } from "./words/language.ts"

/** Of a box that answers. One that doesn't is waited for: the page says so meanwhile, and has this part when it is back. */
const tries = 20
const betweenMs = 500

const answers = () =>
  fetch("/api/health", { cache: "no-store", signal: AbortSignal.timeout(10_000) }).then(
    () => true,
    () => false,
  )

/** What failed once would never be fetched again otherwise, and a part of the page be broken until it is loaded anew. */
async function insist<T>(load: () => Promise<T>): Promise<T> {
  let left = tries
  for (;;) {
    try {
      return await load()
    } catch (error) {
      if ((await answers()) && left-- === 0) throw error
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
