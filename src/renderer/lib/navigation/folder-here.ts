import { useRoute } from "wouter"

/** The folder on screen, if any. */
export function useFolderHere(): string | undefined {
  const [, params] = useRoute<{ vectorId: string }>("/dc/vector/:vectorId")
  return params?.vectorId
}
