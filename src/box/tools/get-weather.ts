import { z } from "zod"
import type { SafeFetch } from "../core/safe-fetch/safe-fetch.ts"
import { defineTool, type Tool } from "./tool.ts"

/** Returns the weather of a place from Open-Meteo, which needs no account. */
export function createGetWeather({
  safe,
  geocoding = "https://geocoding-api.open-meteo.com",
  forecast = "https://api.open-meteo.com",
}: {
  safe: SafeFetch
  /** Default: Open-Meteo's servers. */
  geocoding?: string
  forecast?: string
}): Tool {
  return defineTool({
    key: "getWeather",
    description: "Current weather and the forecast of up to 14 days for a town or place, in metric units.",
    effects: ["egress"],
    result: { trusted: true, private: false },
    args: z.object({
      place: z
        .string()
        .trim()
        .min(2)
        .max(100)
        .meta({ description: 'Name, if needed with its country: "Paris, France"' }),
      days: z.int().min(1).max(14).default(3),
    }),
    unusable: () => safe.refusal()?.message ?? null,
    async run(asked, { signal }) {
      const { readWeather } = await import("./get-weather/read-weather.ts")
      return { content: await readWeather({ safe, geocoding, forecast }, asked, signal) }
    },
  })
}
