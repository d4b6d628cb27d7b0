import { isAway } from "./postgres-errors.ts"

/** By what the server's administrator tells connections of the box that runs, with an id of each. */
export const runningBox = "casella-box"
/** The channel of PostgreSQL's on which it is told that another program has written. */
export const channelOfWrites = "casella_written"

/**
 * Has the server tell the box that runs whenever another program has written: a command, or whoever administers it. What that box writes
 * itself it knows. For all tables that there are, so it is asked after each change of the schema.
 */
export const tellOfWrites = `
  CREATE OR REPLACE FUNCTION "tellOfWrite"() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF current_setting('application_name') NOT LIKE '${runningBox} %' THEN
      NOTIFY ${channelOfWrites};
    END IF;
    RETURN NULL;
  END $$;
  DO $$
  DECLARE name regclass;
  BEGIN
    FOR name IN
      SELECT oid FROM pg_class
      WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace
        AND NOT EXISTS (SELECT FROM pg_trigger WHERE tgrelid = pg_class.oid AND tgname = 'tellOfWrite')
    LOOP
      EXECUTE format('CREATE TRIGGER "tellOfWrite" AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON %s FOR EACH STATEMENT EXECUTE FUNCTION "tellOfWrite"()', name);
    END LOOP;
  END $$;`

/** How long the server may still be doing what a connection that broke was told. */
const uncertainMs = 75_000

/** Counts what this process writes. */
export class OwnWrites {
  #count = 0
  #uncertainUntil = 0

  /** Another number after each statement that may have written; null while one may still be carried out whose answer was lost. */
  get count(): number | null {
    return performance.now() < this.#uncertainUntil ? null : this.#count
  }

  /** Asks the server; what isn't a `select` counts, however it ends. */
  async counted<T>(statement: string, ask: () => Promise<T>): Promise<T> {
    if (/^select\b/i.test(statement)) return ask()
    try {
      return await ask()
    } catch (error) {
      if (isAway(error)) this.#uncertainUntil = performance.now() + uncertainMs
      throw error
    } finally {
      this.#count++
    }
  }
}
