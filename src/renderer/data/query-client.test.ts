import { QueryObserver } from "@tanstack/react-query"
import { afterEach, expect, test } from "vitest"
import { queryClient } from "./query-client.ts"

afterEach(() => queryClient.clear())

/** A query whose loads are answered by the test, in any order. */
function startQuery() {
  const loads: PromiseWithResolvers<string>[] = []
  const options = {
    queryKey: ["chat", "1"],
    queryFn: () => {
      const load = Promise.withResolvers<string>()
      loads.push(load)
      return load.promise
    },
  }
  return { loads, options }
}

// Catches an answer that stays empty because it ended while its chat was being loaded for the first time.
test("data that changes while it is first loaded is loaded again", async () => {
  const { loads, options } = startQuery()
  const observer = new QueryObserver(queryClient, options)
  const stop = observer.subscribe(() => undefined)
  const refreshed = queryClient.invalidateQueries({ queryKey: ["chat"] })
  loads[0]?.resolve("before")
  await expect.poll(() => loads.length).toBe(2)
  loads[1]?.resolve("after")
  await refreshed
  expect(observer.getCurrentResult()).toMatchObject({ data: "after", isStale: false })
  stop()
})

test("data that changes while it is first loaded for later use is stale", async () => {
  const { loads, options } = startQuery()
  const loaded = queryClient.prefetchQuery(options)
  const refreshed = queryClient.invalidateQueries({ queryKey: ["chat"] })
  loads[0]?.resolve("before")
  await Promise.all([loaded, refreshed])
  expect(queryClient.getQueryState(options.queryKey)).toMatchObject({ data: "before", isInvalidated: true })
})
