import '@fairtick/ui/tokens.css';
import '@fairtick/ui/print.css';
import './shell/office.css';
import '@fairtick/ui/layout.css';
import { FaultBoundary, faultTexts, logFault } from '@fairtick/ui';
import { followContrast } from '@fairtick/ui/contrast';
import { followSystem } from '@fairtick/ui/follow-system';
import { navigateFromLayers } from '@fairtick/ui/layers';
import { offerReload } from '@fairtick/ui/load-code';
import { surviveTranslation } from '@fairtick/ui/survive-translation';
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode, useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { type AroundNavHandler, Router } from 'wouter';
import { followTabs, queryClient } from './api/queries.ts';
import { App } from './app.tsx';
import { loadText, type Text } from './messages/text.ts';
import { TextProvider } from './messages/text-context.tsx';
import { applyToRoot, takeSystemDark, takeSystemLanguage, useSettings } from './state/settings.ts';

applyToRoot();
followContrast();
followSystem({ dark: takeSystemDark, language: takeSystemLanguage });
surviveTranslation();
followTabs();

const aroundNav: AroundNavHandler = (navigate, to, options) =>
  navigateFromLayers(options?.replace ?? false, (replace) => navigate(to, { ...options, replace }));

/** Provides the texts of the chosen language; the old ones stay until the new ones are loaded. */
function Root({ first }: { first: Text }) {
  const language = useSettings((state) => state.language);
  const [text, setText] = useState(first);
  useEffect(() => {
    if (language === text.language) return;
    let isCurrent = true;
    loadText(language).then(
      (loaded) => isCurrent && setText(loaded),
      // If loading fails, the current language stays.
      () => {},
    );
    return () => {
      isCurrent = false;
    };
  }, [language, text]);
  return (
    <TextProvider text={text}>
      <QueryClientProvider client={queryClient}>
        <FaultBoundary screen="office" root={() => null} texts={faultTexts(text.t)}>
          <Router aroundNav={aroundNav}>
            <App />
          </Router>
        </FaultBoundary>
      </QueryClientProvider>
    </TextProvider>
  );
}

async function start(): Promise<void> {
  const container = document.getElementById('app');
  if (!container) throw new Error('there is no #app');
  const text = await loadText(useSettings.getState().language);
  createRoot(container, { onCaughtError: logFault, onUncaughtError: logFault }).render(
    <StrictMode>
      <Root first={text} />
    </StrictMode>,
  );
}

// The page of a browser that is too old has become a sentence that says so.
if (!('old' in document.documentElement.dataset)) void start().catch(offerReload);
