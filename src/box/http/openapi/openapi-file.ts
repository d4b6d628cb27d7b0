import packageJson from "../../../../package.json" with { type: "json" }
import { api } from "../../../shared/contract/api.ts"
import { describeApi } from "./openapi.ts"

/** Returns the text of the committed openapi.json. */
export const renderOpenApi = (): string =>
  `${JSON.stringify(describeApi(api, packageJson.version), null, 2)}\n`
