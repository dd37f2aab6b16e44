import { cooking as enCooking } from './en/cooking.ts';
import { databases as enDatabases } from './en/databases.ts';
import { localGovernment as enLocalGovernment } from './en/local-government.ts';
import { cooking as jaCooking } from './ja/cooking.ts';
import { databases as jaDatabases } from './ja/databases.ts';
import { localGovernment as jaLocalGovernment } from './ja/local-government.ts';
import type { Language, TopicId, TopicTexts } from './topic.ts';

/** Everything the simulated world can write. */
export const CORPUS: Readonly<Record<Language, Readonly<Partial<Record<TopicId, TopicTexts>>>>> = {
  en: { databases: enDatabases, 'local-government': enLocalGovernment, cooking: enCooking },
  ja: { databases: jaDatabases, 'local-government': jaLocalGovernment, cooking: jaCooking },
};
