import type { Landing, Language } from '@fairtick/protocol';
import { LANGUAGE_TAGS } from '@fairtick/protocol/languages';
import { type OperatorProfile, statedBy } from '../../config/operator-profile.ts';
import type { MarketRow } from '../../market/market-view.ts';
import { CLASS_LABELS, DEMO_PROFILE, REGIONS, TEXTS } from './landing-texts.ts';

export interface LandingParts {
  readonly rows: () => readonly MarketRow[];
  readonly mode: 'demo' | 'live';
  readonly feed: string;
  readonly riskOf: (language: Language) => string;
  readonly operator: OperatorProfile | null;
}

const CLASSES = ['forex', 'energy', 'index', 'stock', 'metal', 'crypto'] as const;
const SHOWN = 2;
/** The cycle whose payout rate the page calculates with. */
const REFERENCE = { symbol: 'EUR/USD', minutes: 5 } as const;

export const landingOf =
  (parts: LandingParts) =>
  (language: Language): Landing => {
    const { rows, mode, feed, riskOf, operator } = parts;
    const all = rows();
    const say = (id: keyof typeof TEXTS) => TEXTS[id][language];
    const isDemo = mode === 'demo';
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
      questions: questionsOf(all, isDemo ? null : operator, language),
      practice: { title: say('practiceTitle'), text: say('practiceText') },
      markets: {
        heading: say('marketsHeading').replace('{products}', String(all.length)),
        text: say('marketsText'),
        note: say('marketsNote'),
        all: say('marketsAll'),
        products: all.length,
        items: CLASSES.map((id) => ({
          id,
          label: CLASS_LABELS[id][language],
          count: ofClass(id).length,
          symbols: ofClass(id)
            .slice(0, SHOWN)
            .map(({ product }) => product.symbol),
        })),
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
        text: say(isDemo ? 'profileText' : 'profileLive'),
        sample: say('sample'),
        // In demo mode each item is marked as a sample, whoever wrote it; live mode requires the operator's own profile.
        items: profileItems(operator, language, isDemo),
      },
      regions: {
        heading: say('regionsHeading'),
        text: say(isDemo ? 'regionsText' : 'regionsLive'),
        items: REGIONS.map(({ code, name }) => ({ code, name: name[language] })),
      },
      risk: riskPart(all, { text: riskOf(language), operator: isDemo ? null : operator }, language),
      footer: {
        api: say('api'),
        prices: say(feed === 'simulated' ? 'simulated' : feed === 'replay' ? 'replayed' : 'sourced'),
        register: say('register'),
        login: say('login'),
      },
    };
  };

function profileItems(
  operator: OperatorProfile | null,
  language: Language,
  isSample: boolean,
): Landing['profile']['items'] {
  if (operator !== null) return statedBy(operator, language).map((item) => ({ ...item, isSample }));
  if (!isSample) return [];
  return DEMO_PROFILE.map(({ id, figure, title, text }) => ({
    id,
    figure,
    title: title[language],
    text: text[language],
    isSample,
  }));
}

/** A stranger's first questions: who runs it, where, for what price, and how to check it. */
function questionsOf(
  all: readonly MarketRow[],
  operator: OperatorProfile | null,
  language: Language,
): Landing['questions'] {
  const say = (id: keyof typeof TEXTS) => TEXTS[id][language];
  const price = priceOf(all);
  const names = REGIONS.map(({ name }) => name[language]);
  const questions = [
    { id: 'who', text: operator === null ? say('whoDemo') : statedIn(say('whoLive'), operator, language) },
    { id: 'where', text: new Intl.ListFormat(LANGUAGE_TAGS[language]).format(names) },
    {
      id: 'cost',
      text:
        price &&
        say('costText')
          .replace('{edge}', (price.edge * 100).toFixed(1))
          .replace('{even}', percent(price.even)),
    },
    { id: 'check', text: say('checkText') },
  ] as const;
  return questions.flatMap(({ id, text }) => (text === null ? [] : [{ title: say(`${id}Title`), text }]));
}

const percent = (share: number) => `${(share * 100).toFixed(1)}%`;

/** What the payout rate of the reference order means for somebody who guesses; null without its rules. */
function priceOf(all: readonly MarketRow[]) {
  const rules = all.find(({ product }) => product.symbol === REFERENCE.symbol)?.rules?.rules;
  const payoutRate = rules?.cycles.find(({ minutes }) => minutes === REFERENCE.minutes)?.payoutRate;
  if (payoutRate === undefined) return null;
  const rate = Number(payoutRate);
  // A guess wins half of the time.
  return { payoutRate, even: 1 / (1 + rate), edge: (1 - rate) / 2 };
}

function riskPart(
  all: readonly MarketRow[],
  { text, operator }: { text: string; operator: OperatorProfile | null },
  language: Language,
): Landing['risk'] {
  const price = priceOf(all);
  const known = price
    ? [
        { value: percent(price.even), label: TEXTS.evenLabel[language] },
        { value: percent(price.edge), label: TEXTS.edgeLabel[language] },
      ]
    : [];
  return {
    heading: TEXTS.riskHeading[language],
    text,
    regulatory: regulatoryText(operator, language),
    figures: [...known, losersFigure(operator, language)],
    payoutRate: price?.payoutRate ?? null,
    breakEven: price?.even.toFixed(4) ?? null,
  };
}

function regulatoryText(operator: OperatorProfile | null, language: Language): string {
  if (operator === null) return TEXTS.regulatory[language];
  return statedIn(TEXTS.regulatoryLive[language], operator, language);
}

/** A text with the operator's name, regulator and licence. */
function statedIn(text: string, { legalName, licence }: OperatorProfile, language: Language): string {
  return text
    .replace('{name}', () => legalName)
    .replace('{regulator}', () => licence.regulator[language])
    .replace('{number}', () => licence.number);
}

function losersFigure(operator: OperatorProfile | null, language: Language) {
  const share = operator?.losingShare;
  if (!share) return { value: TEXTS.losersValue[language], label: TEXTS.losersLabel[language] };
  return {
    value: `${share.percent}%`,
    label: TEXTS.losersUntil[language].replace('{day}', share.until),
  };
}
