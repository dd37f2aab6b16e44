import { type Document, isMap, parseDocument } from 'yaml';
import type { Config } from '../config/config.ts';
import type { CatalogueSource } from './source-catalogue.ts';

/**
 * The text of the configuration file with all sources in it: added ones, changed names, folders and states, and the pipelines that
 * they were assigned to. Everything else stays, comments included; the layout may change (R21).
 */
export function exportYaml(
  text: string,
  sources: readonly CatalogueSource[],
  { pipelines }: Pick<Config, 'pipelines'>,
): string {
  const document = parseDocument(text);
  if (sources.length > 0 && !isMap(document.get('sources', true)))
    document.set('sources', document.createNode({}));
  for (const { settings, origin, record } of sources) {
    if (record === null) continue;
    const { name, enabled, folders } = record;
    const fields = {
      ...(name !== null && { name }),
      ...(enabled !== null && { enabled }),
      ...(folders !== null && { folders }),
    };
    if (origin === 'file') changeSource(document, settings.id, fields);
    else addSource(document, settings.id, { ...record.settings, ...fields });
  }
  for (const { id, sources: declared } of Object.values(pipelines)) {
    const assigned = sources
      .filter(({ assignedPipelines }) => assignedPipelines.includes(id))
      .map(({ settings }) => settings.id)
      .filter((sourceId) => !declared.includes(sourceId));
    if (assigned.length > 0)
      document.setIn(
        ['pipelines', id, 'sources'],
        document.createNode([...declared, ...assigned], { flow: true }),
      );
  }
  return document.toString({ lineWidth: 0, flowCollectionPadding: true });
}

function addSource(document: Document, id: string, fields: object): void {
  document.setIn(['sources', id], document.createNode(fields, { flow: true }));
}

function changeSource(document: Document, id: string, fields: object): void {
  if (isMap(document.getIn(['sources', id], true))) {
    for (const [key, value] of Object.entries(fields))
      document.setIn(['sources', id, key], document.createNode(value, { flow: true }));
    return;
  }
  // An alias of another source, which must not change.
  const { sources } = document.toJS() as { sources: Readonly<Record<string, object>> };
  addSource(document, id, { ...sources[id], ...fields });
}
