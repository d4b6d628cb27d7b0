import { QueryClientProvider } from "@tanstack/react-query"
import { useState } from "react"
import { useTranslation } from "react-i18next"
import { Router, useRouter } from "wouter"
import { queryClient } from "../data/query-client.ts"
import { decodingParameters, useHashLocation, useHashSearch } from "../lib/navigation/hash-location.ts"
import { Toaster } from "../ui/layers/Toaster.tsx"
import { TooltipLayer } from "../ui/layers/Tooltip.tsx"
import { Entry } from "./Entry.tsx"
import { ErrorBoundary } from "./ErrorBoundary.tsx"

export function App() {
  const { i18n } = useTranslation()
  const { parser } = useRouter()
  const [decodingParser] = useState(() => decodingParameters(parser))
  return (
    <ErrorBoundary>
      <QueryClientProvider client={queryClient}>
        {/* oxlint-disable-next-line react/hooks -- wouter takes its hooks as values */}
        <Router hook={useHashLocation} searchHook={useHashSearch} parser={decodingParser}>
          {/* Redraw everything when the language changes, because formats and names are read in many places. */}
          <Entry key={i18n.language} />
          <Toaster />
          <TooltipLayer />
        </Router>
      </QueryClientProvider>
    </ErrorBoundary>
  )
}
