import { migrations, type Migration } from "../../migrations/registry.ts"
import { objectsOfFiles } from "./061-objects-of-files.ts"
import { providerAccounts } from "./062-provider-accounts.ts"
import { auditLog } from "./063-audit-log.ts"
import { quotas } from "./064-quotas.ts"
import { begunTurns } from "./065-begun-turns.ts"
import { automations } from "./066-automations.ts"
import { questions } from "./067-questions.ts"
import { dryRuns } from "./068-dry-runs.ts"
import { filing } from "./069-filing.ts"
import { timedAutomations } from "./070-timed-automations.ts"
import { arrivedContent } from "./071-arrived-content.ts"
import { generatedFiles } from "./072-generated-files.ts"
import { heldByRestore } from "./073-held-by-restore.ts"
import { heldKeys } from "./074-held-keys.ts"
import { generatedForQuestions } from "./075-generated-for-questions.ts"
import { projectsOfScopedKeys } from "./076-projects-of-scoped-keys.ts"
import { countsWithoutLocks } from "./077-counts-without-locks.ts"
import { numbersAfterMoves } from "./078-numbers-after-moves.ts"
import { wordsOfScopedKeys } from "./079-words-of-scoped-keys.ts"
import { datesOfFiles } from "./080-dates-of-files.ts"
import { descriptionsOfImages } from "./086-descriptions-of-images.ts"

/** PostgreSQL versions of migrations, by migration name, if they differ. Names with capitals are quoted there. */
const forms: Readonly<Record<string, string>> = {
  "objects of files": objectsOfFiles,
  "provider accounts": providerAccounts,
  "audit log": auditLog,
  quotas,
  "begun turns": begunTurns,
  automations,
  questions,
  "dry runs": dryRuns,
  filing,
  "timed automations": timedAutomations,
  "arrived content": arrivedContent,
  "generated files": generatedFiles,
  "held by restore": heldByRestore,
  "held keys": heldKeys,
  "generated for questions": generatedForQuestions,
  "projects of scoped keys": projectsOfScopedKeys,
  "counts without locks": countsWithoutLocks,
  "numbers after moves": numbersAfterMoves,
  "words of scoped keys": wordsOfScopedKeys,
  "dates of files": datesOfFiles,
  "descriptions of images": descriptionsOfImages,
}

export const migrationsOfPostgres: readonly Migration[] = migrations.map(({ name, sql }) => ({
  name,
  sql: forms[name] ?? sql,
}))
