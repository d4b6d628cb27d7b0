import { useRoute } from "wouter"

/** The folder that is on screen, if one is. */
export function useFolderHere(): string | undefined {
  const [, params] = useRoute<{ vectorId: string }>("/dc/vector/:vectorId")
  return params?.vectorId
}
