import { lazy, type ComponentType } from "react"
import { fetchLaterStrings } from "./language.ts"

/** A part of the page that is fetched when it is first drawn, together with the strings that only such parts use. */
export const later = <Props>(load: () => Promise<ComponentType<Props>>) =>
  lazy(async () => {
    const [part] = await Promise.all([load(), fetchLaterStrings()])
    return { default: part }
  })
