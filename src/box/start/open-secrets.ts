import { createBoxValues } from "../core/database/box-values.ts"
import { DatabaseUnusable, type DbOf } from "../core/database/database.ts"
import { sealedCheck, type SecretStore } from "../core/secret-store.ts"

/**
 * Opens the store for tokens and keys of other services: the data directory's file, or the database, encrypted, if a secrets key is given.
 * @throws DatabaseUnusable if the key is wrong or missing
 */
export async function openSecrets(
  db: DbOf<"core">,
  file: SecretStore,
  key: Buffer | null,
): Promise<SecretStore> {
  const values = createBoxValues(db)
  if (key !== null) return (await import("../core/secret-rows.ts")).openSecretRows(values, key, file)
  if ((await values.read(sealedCheck)) === null) return file
  throw new DatabaseUnusable(
    "The keys and tokens of this Casella are sealed in its rows. Give CASELLA_SECRETS_KEY, with which they were; docs/team.md says what to do where it is lost.",
  )
}
