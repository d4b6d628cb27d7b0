import type { createModelNews } from "../features/models/model-news.ts"
import type { OperationDeps } from "../features/operation/routes.ts"
import type { Base } from "./compose-options.ts"

interface Parts {
  modelNews: Pick<ReturnType<typeof createModelNews>, "state">
  haveModelsBegun(): boolean
}

/** What programs that watch over the box are told of all parts. */
export function composeOperation({ database, dataDir, place, stopping }: Base, parts: Parts): OperationDeps {
  return {
    readiness: {
      dataDir,
      place,
      askDatabase: () => database.db.selectFrom("users").select("id").limit(1).execute(),
      models: parts.modelNews.state,
      haveModelsBegun: parts.haveModelsBegun,
      stopping,
    },
  }
}
