/** Made by the build from the contract (`scripts/endpoints.ts`): the page has its routes without its schemas. */
declare module "virtual:endpoints" {
  import type { Routes } from "../../shared/client/routes.ts"

  export const endpoints: Routes
}
