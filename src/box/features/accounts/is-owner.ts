import { sql } from "kysely"

/** 1 for a row of `users` whose user owns a workspace, else 0. */
export const isOwner = sql<0 | 1>`CASE WHEN EXISTS (
  SELECT 1 FROM memberships WHERE memberships."userId" = users.id AND memberships.role = 'owner'
) THEN 1 ELSE 0 END`
