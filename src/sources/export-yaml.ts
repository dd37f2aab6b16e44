import { Document, isMap, parseDocument } from 'yaml';
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

/** Only the sources, without the rest of the file, which may contain what a browser should not get. */
export function exportSourcesYaml(text: string, sources: readonly CatalogueSource[]): string {
  const document = parseDocument(text);
  const declared = document.get('sources', true);
  const alone = new Document({});
  alone.set('sources', isMap(declared) ? declared : alone.createNode({}));
  // Aliases may refer to anchors in the rest of the file.
  const plain = alone.toString({ lineWidth: 0 });
  const isWhole = parseDocument(plain).errors.length === 0;
  const own = isWhole ? plain : new Document({ sources: document.toJS().sources ?? {} }).toString();
  return exportYaml(own, sources, { pipelines: {} });
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
