import type { Landing, Language } from '@fairtick/protocol';
import type { MarketRow } from '../market-data/market-view.ts';
import { CLASS_LABELS, DEMO_PROFILE, REGIONS, TEXTS } from './landing-texts.ts';

export interface LandingParts {
  readonly rows: () => readonly MarketRow[];
  readonly mode: 'demo' | 'live';
  readonly feed: string;
  readonly riskOf: (language: Language) => string;
}

/** In the order of the page; each is counted, none is claimed. */
const CLASSES = ['forex', 'stock', 'index', 'energy', 'metal', 'crypto'] as const;
/** The cycle whose payout the page reckons with: the most that it says of a product is its rule. */
const REFERENCE = { symbol: 'EUR/USD', minutes: 5 } as const;

export const landingOf =
  (parts: LandingParts) =>
  (language: Language): Landing =>
    landingAnswer(parts, language);

/** The landing page in one language: what is counted is counted now. */
function landingAnswer({ rows, mode, feed, riskOf }: LandingParts, language: Language): Landing {
  const all = rows();
  const say = (id: keyof typeof TEXTS) => TEXTS[id][language];
  const ofClass = (name: string) => all.filter(({ product }) => product.assetClass === name);
  return {
    language,
    brand: 'Fairtick',
    mode,
    title: say('title'),
    description: say('description'),
    headline: say('headline'),
    lead: say('lead'),
    enter: say('enter'),
    practice: { title: say('practiceTitle'), text: say('practiceText') },
    counts: {
      heading: say('countsHeading').replace('{products}', String(all.length)),
      note: say('countsNote'),
      products: all.length,
      items: CLASSES.map((id) => ({
        id,
        count: ofClass(id).length,
        label: CLASS_LABELS[id]?.[language] ?? id,
      })),
    },
    prices: {
      heading: say('pricesHeading'),
      note: say('pricesNote'),
      all: say('pricesAll'),
      symbols: CLASSES.flatMap((id) => ofClass(id)[0]?.product.symbol ?? []),
    },
    steps: {
      heading: say('stepsHeading'),
      text: say('stepsText'),
      items: (['accept', 'open', 'settle'] as const).map((step) => ({
        title: say(`${step}Title`),
        text: say(`${step}Text`),
      })),
    },
    profile: {
      heading: say('profileHeading'),
      text: say('profileText'),
      sample: say('sample'),
      // Live mode does not start without a profile of the operator's own, and shows nothing of this one.
      items: (mode === 'demo' ? DEMO_PROFILE : []).map(({ id, figure, title, text }) => ({
        id,
        figure,
        title: title[language],
        text: text[language],
        isSample: true,
      })),
    },
    regions: {
      heading: say('regionsHeading'),
      text: say('regionsText'),
      items: REGIONS.map(({ code, name }) => ({ code, name: name[language] })),
    },
    risk: riskPart(all, riskOf(language), language),
    footer: {
      api: say('api'),
      prices: say(feed === 'simulated' ? 'simulated' : feed === 'replay' ? 'replayed' : 'sourced'),
      register: say('register'),
      login: say('login'),
    },
  };
}

function riskPart(all: readonly MarketRow[], text: string, language: Language): Landing['risk'] {
  const rules = all.find(({ product }) => product.symbol === REFERENCE.symbol)?.rules?.rules;
  const payoutRate = rules?.cycles.find(({ minutes }) => minutes === REFERENCE.minutes)?.payoutRate ?? null;
  const rate = Number(payoutRate);
  const percent = (share: number) => `${(share * 100).toFixed(1)}%`;
  const known =
    payoutRate === null
      ? []
      : [
          { value: percent(1 / (1 + rate)), label: TEXTS.evenLabel[language] },
          // Somebody who guesses wins half of the time.
          { value: percent((1 - rate) / 2), label: TEXTS.edgeLabel[language] },
        ];
  return {
    heading: TEXTS.riskHeading[language],
    text,
    regulatory: TEXTS.regulatory[language],
    figures: [...known, { value: TEXTS.losersValue[language], label: TEXTS.losersLabel[language] }],
    payoutRate,
    breakEven: payoutRate === null ? null : (1 / (1 + rate)).toFixed(4),
  };
}
