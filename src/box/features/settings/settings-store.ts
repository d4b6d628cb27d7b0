import type { ZodType } from "zod"
import { BoxSettings, PersonalSettings, type SettingsPatch } from "../../../shared/contract/settings.ts"
import type { BoxValues } from "../../core/database/box-values.ts"
import { ownTables, type DbOf } from "../../core/database/database.ts"
import { readStored } from "../../core/database/stored-json.ts"
import type { Logger } from "../../core/logging/logger.ts"

export interface SettingsStoreDeps {
  db: DbOf<"settings">
  /** These values include the server's settings. */
  values: Pick<BoxValues, "all" | "write">
  logger: Logger
}

/** A patch as it is stored, without the key of a search engine. */
type StoredPatch = Omit<SettingsPatch, "webSearch"> & Partial<Pick<BoxSettings, "webSearch">>

export const defaultSettings: BoxSettings = {
  textEvent: "text-delta",
  allowedHosts: [],
  allowedOrigins: [],
  allowedPrivateHosts: [],
  modelMirror: "https://huggingface.co",
  webSearch: { provider: "duckduckgo", url: null, hasApiKey: false },
  localOnly: false,
  wholeLimit: { characters: 2_000_000, minutes: 30 },
  localOnlyPrograms: false,
  networkAccess: false,
}
/** The key of the value that determines whether other computers can reach the server. */
export const networkAccessKey: keyof BoxSettings = "networkAccess"

const personalDefaults: PersonalSettings = { mutedCategories: [], pins: [] }

/** Stores settings, each in a row: those of the server, and those of each user. Missing ones have their defaults. */
export function createSettingsStore({ db, values, logger }: SettingsStoreDeps) {
  /** Unreadable values, as from an altered backup, are treated as missing, because the server must start safely. */
  function fromRows(rows: { key: string; value: string }[], shape: Record<string, ZodType>): object {
    const read = rows.flatMap(({ key, value }): [string, unknown][] => {
      const schema = Object.hasOwn(shape, key) ? shape[key] : undefined
      if (!schema) return []
      const stored = readStored(schema, value)
      if (stored === undefined) logger.warn({ key }, "A stored setting is invalid and ignored")
      return stored === undefined ? [] : [[key, stored]]
    })
    return Object.fromEntries(read)
  }

  return {
    async readBoxSettings(): Promise<BoxSettings> {
      const rows = await values.all()
      // A damaged safety setting is treated as on.
      const localOnly = rows.some(({ key, value }) => key === "localOnly" && value !== "false")
      return BoxSettings.parse({ ...defaultSettings, ...fromRows(rows, BoxSettings.shape), localOnly })
    },

    async personalSettings(userId: string): Promise<PersonalSettings> {
      const rows = await db
        .selectFrom("userSettings")
        .select(["key", "value"])
        .where("userId", "=", userId)
        .execute()
      return PersonalSettings.parse({ ...personalDefaults, ...fromRows(rows, PersonalSettings.shape) })
    },

    /** Writes the named settings of the server and the user, all or none. */
    async write(userId: string, named: StoredPatch): Promise<void> {
      const personalSettings = toRows(named, PersonalSettings.shape).map((row) => ({ ...row, userId }))
      await values.write(toRows(named, BoxSettings.shape), async (transaction) => {
        if (personalSettings.length === 0) return
        await ownTables<"settings">(transaction)
          .insertInto("userSettings")
          .values(personalSettings)
          .onConflict((conflict) =>
            conflict.columns(["userId", "key"]).doUpdateSet((e) => ({ value: e.ref("excluded.value") })),
          )
          .execute()
      })
    },
  }
}

/** The values that `shape` contains, as rows. */
export const toRows = (named: object, shape: Record<string, unknown>) =>
  Object.entries(named)
    .filter(([key, value]) => key in shape && value !== undefined)
    .map(([key, value]) => ({ key, value: JSON.stringify(value) }))
