import { z } from 'zod';
import { document } from './schema/document.ts';
import { formsOf } from './schema/section.ts';

/** What editors need to complete and check `kawaraban.yaml`, made of the very schemas that check it. */
export function configJsonSchema(): object {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'kawaraban.yaml',
    description: 'The configuration of a Kawaraban newsroom.',
    ...jsonSchemaOf(document),
  };
}

function jsonSchemaOf(schema: z.ZodType): z.core.JSONSchema.BaseSchema {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io: 'input',
    target: 'draft-7',
    unrepresentable: 'any',
    reused: 'inline',
    override: ({ zodSchema, jsonSchema }) => {
      const forms = formsOf.get(zodSchema);
      if (forms !== undefined) jsonSchema.anyOf = forms.map(jsonSchemaOf);
    },
  });
  return json;
}
