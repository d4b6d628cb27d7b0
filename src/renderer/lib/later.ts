import { lazy, type ComponentType } from "react"
import { fetchLaterStrings } from "./words/language.ts"

/** Maximum number of retries while the box responds. While it doesn't, loading is retried without limit and the page says so. */
const tries = 20
const betweenMs = 500

const answers = () =>
  fetch("/api/health", { cache: "no-store", signal: AbortSignal.timeout(10_000) }).then(
    () => true,
    () => false,
  )

/** A failed import would otherwise never be fetched again, and this part of the page would stay broken until a reload. */
async function retryLoading<T>(load: () => Promise<T>): Promise<T> {
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

/** A part of the page that is loaded when it is first rendered, together with the strings that only such parts use. */
export const later = <Props>(load: () => Promise<ComponentType<Props>>) =>
  lazy(async () => {
    const [part] = await retryLoading(() => Promise.all([load(), fetchLaterStrings()]))
    return { default: part }
  })
