import { z } from "zod"
import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { SafeFetch } from "../../core/safe-fetch/safe-fetch.ts"

/** WMO codes for present weather, as Open-Meteo uses them. */
const words: Record<number, string> = {
  0: "clear sky",
  1: "mainly clear",
  2: "partly cloudy",
  3: "overcast",
  45: "fog",
  48: "rime fog",
  51: "light drizzle",
  53: "drizzle",
  55: "dense drizzle",
  56: "light freezing drizzle",
  57: "freezing drizzle",
  61: "light rain",
  63: "rain",
  65: "heavy rain",
  66: "light freezing rain",
  67: "freezing rain",
  71: "light snow",
  73: "snow",
  75: "heavy snow",
  77: "snow grains",
  80: "light showers",
  81: "showers",
  82: "violent showers",
  85: "light snow showers",
  86: "snow showers",
  95: "thunderstorm",
  96: "thunderstorm with light hail",
  99: "thunderstorm with hail",
}

/** Describes a code in words; an unknown code stays a number. */
function describeWeather(code: number | null | undefined): string {
  if (code === null || code === undefined) return "unknown"
  return words[code] ?? `WMO code ${code}`
}

export interface WeatherServers {
  safe: SafeFetch
  /** Addresses of Open-Meteo's servers. */
  geocoding: string
  forecast: string
}

export interface AskedWeather {
  place: string
  days: number
}

const limits = { maxBytes: 500_000, limitMs: 10_000 }

/** Place names come from outside. They are shown, but kept too short to instruct a model. */
const Name = z.string().transform((name) => name.slice(0, 60))

const Places = z.object({
  results: z
    .array(
      z.object({
        name: Name,
        admin1: Name.optional(),
        country: Name.optional(),
        latitude: z.number(),
        longitude: z.number(),
      }),
    )
    .default([]),
})
type Place = z.infer<typeof Places>["results"][number]

const number = z.number().nullable()
const Forecast = z.object({
  timezone: Name,
  current: z.object({
    time: z.string(),
    temperature_2m: number,
    apparent_temperature: number,
    relative_humidity_2m: number,
    precipitation: number,
    wind_speed_10m: number,
    weather_code: number,
  }),
  daily: z.object({
    time: z.array(z.string()),
    temperature_2m_min: z.array(number),
    temperature_2m_max: z.array(number),
    precipitation_sum: z.array(number),
    precipitation_probability_max: z.array(number),
    wind_speed_10m_max: z.array(number),
    weather_code: z.array(number),
  }),
})
type Forecast = z.infer<typeof Forecast>

/** Describes the weather of a place in words. Throws `not_found` for an unknown place, and `unavailable`. */
export async function readWeather(
  { safe, geocoding, forecast }: WeatherServers,
  { place, days }: AskedWeather,
  signal: AbortSignal,
) {
  async function ask<T>(address: string, query: Record<string, string>, schema: z.ZodType<T>) {
    const url = `${address}?${new URLSearchParams(query).toString()}`
    const { status, bytes } = await safe.fetch({ ...limits, purpose: "weather", url, signal })
    if (status === 429) throw new AppError("unavailable", sentence("tools.weather_busy"))
    if (status !== 200) throw new AppError("unavailable", sentence("tools.weather_status", { status }))
    try {
      return schema.parse(JSON.parse(bytes.toString("utf8")))
    } catch (cause) {
      throw new AppError("unavailable", sentence("tools.weather_unknown"), { cause })
    }
  }

  const [name = place, ...region] = place.split(",").map((part) => part.trim())
  const { results } = await ask(`${geocoding}/v1/search`, { name, count: "10", format: "json" }, Places)
  const found = results.find((each) => isInRegion(each, region)) ?? results[0]
  if (!found) throw new AppError("not_found", sentence("tools.no_place", { place }))
  return describe(found, await ask(`${forecast}/v1/forecast`, forecastQuery(found, days), Forecast))
}

function isInRegion({ admin1 = "", country = "" }: Place, region: readonly string[]): boolean {
  const names = `${admin1} ${country}`.toLowerCase()
  return region.every((part) => names.includes(part.toLowerCase()))
}

function forecastQuery({ latitude, longitude }: Place, days: number): Record<string, string> {
  return {
    latitude: String(latitude),
    longitude: String(longitude),
    timezone: "auto",
    forecast_days: String(days),
    current:
      "temperature_2m,apparent_temperature,relative_humidity_2m,precipitation,wind_speed_10m,weather_code",
    daily:
      "temperature_2m_min,temperature_2m_max,precipitation_sum,precipitation_probability_max,wind_speed_10m_max,weather_code",
  }
}

function describe({ name, admin1, country }: Place, { timezone, current, daily }: Forecast) {
  return {
    place: [name, admin1, country].filter(Boolean).join(", "),
    timezone,
    units: "°C, mm, km/h, %",
    now: {
      time: current.time,
      weather: describeWeather(current.weather_code),
      temperature: current.temperature_2m,
      feelsLike: current.apparent_temperature,
      humidity: current.relative_humidity_2m,
      precipitation: current.precipitation,
      wind: current.wind_speed_10m,
    },
    days: daily.time.map((date, n) => ({
      date,
      weather: describeWeather(daily.weather_code[n]),
      lowest: daily.temperature_2m_min[n],
      highest: daily.temperature_2m_max[n],
      precipitation: daily.precipitation_sum[n],
      precipitationProbability: daily.precipitation_probability_max[n],
      wind: daily.wind_speed_10m_max[n],
    })),
    source: "Open-Meteo.com",
  }
}
