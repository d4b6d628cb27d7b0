import { useQuery } from "@tanstack/react-query"
import { box } from "../lib/box.ts"

/** Which Casella version is running. */
export const useHealth = () =>
  useQuery({ queryKey: ["health"], queryFn: ({ signal }) => box.account.health({}, { signal }) })
