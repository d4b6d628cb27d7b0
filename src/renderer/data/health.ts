import { useQuery } from "@tanstack/react-query"
import { box } from "../lib/box.ts"

/** Which Casella this is. */
export const useHealth = () =>
  useQuery({ queryKey: ["health"], queryFn: ({ signal }) => box.account.health({}, { signal }) })
