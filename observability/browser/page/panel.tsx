/** A panel of a dashboard, with its data, as Grafana's components draw it. */
import {
  applyFieldOverrides,
  applyNullInsertThreshold,
  cacheFieldDisplayNames,
  type DataFrame,
  type DataTransformerConfig,
  FieldConfigOptionsRegistry,
  type FieldConfigSource,
  type GrafanaTheme2,
  getFieldDisplayValues,
  identityOverrideProcessor,
  type ScopedVars,
  standardTransformers,
  standardTransformersRegistry,
  transformDataFrame,
} from '@grafana/data';
import { BigValue, PanelChrome, TimeSeries, useTheme2, VizRepeater } from '@grafana/ui';
import { TableNG } from '@grafana/ui/unstable';
import { useEffect, useState } from 'react';
import { lastValueFrom } from 'rxjs';
import { type Annotation, annotate } from './annotations.js';
import { Heatmap } from './heatmap.js';
import { ask, type Shown, type Target } from './prometheus.js';

/** A panel as the JSON has it. */
export interface PanelModel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly interval?: string;
  readonly targets?: readonly Target[];
  readonly transformations?: readonly { id: string; options: unknown }[];
  readonly fieldConfig?: FieldConfigSource;
  // biome-ignore lint/suspicious/noExplicitAny: each kind of panel has its own.
  readonly options: any;
}

/** Options of fields: Grafana's own, and those of each kind of panel. */
const OPTIONS =
  'displayName unit min max decimals mappings noValue links color thresholds filterable description fieldMinMax'.split(
    ' ',
  );
const CUSTOM =
  'barWidthFactor drawStyle lineWidth lineStyle lineInterpolation fillOpacity showPoints pointSize spanNulls stacking axisPlacement axisLabel axisSoftMin axisSoftMax axisGridShow thresholdsStyle hideFrom gradientMode barAlignment width minWidth align cellOptions filterable inspect hidden scaleDistribution wrapText'.split(
    ' ',
  );
const REGISTRY = new FieldConfigOptionsRegistry(
  () =>
    [
      ...OPTIONS.map((id) => ({ id, path: id, isCustom: false })),
      ...CUSTOM.map((id) => ({ id: `custom.${id}`, path: id, isCustom: true })),
    ].map((option) => ({
      ...option,
      name: option.id,
      process: identityOverrideProcessor,
      shouldApply: () => true,
      editor: () => null,
      override: () => null,
    })) as never,
);

/** Some are there under two names. */
const TRANSFORMERS = new Map(Object.values(standardTransformers).map((each) => [each.id, each]));
standardTransformersRegistry.setInit(
  () =>
    [...TRANSFORMERS.values()].map((transformation) => ({
      id: transformation.id,
      name: transformation.name,
      // Later versions of Grafana load them when they are needed.
      transformation: () => transformation,
      editor: () => null,
      imageDark: '',
      imageLight: '',
    })) as never,
);

/** What Grafana's panels add to what a dashboard leaves out. */
const DEFAULTS: Readonly<Record<string, object>> = {
  timeseries: {
    drawStyle: 'line',
    lineInterpolation: 'linear',
    lineWidth: 1,
    fillOpacity: 0,
    gradientMode: 'none',
    barAlignment: 0,
    barWidthFactor: 0.6,
    showPoints: 'auto',
    pointSize: 5,
    axisPlacement: 'auto',
    axisGridShow: true,
  },
};

function withDefaults({ type, fieldConfig }: PanelModel): FieldConfigSource {
  const { defaults = {}, overrides = [] } = fieldConfig ?? {};
  return { defaults: { ...defaults, custom: { ...DEFAULTS[type], ...defaults.custom } }, overrides };
}

/** Fills in variables, and what a link may take of the field and row that it is on. */
function fill(shown: Shown): (text: string, scoped?: ScopedVars) => string {
  return (text, scoped) =>
    text.replaceAll(/\$\{([^}]+)\}|\$(\w+)/g, (whole, braced?: string, bare?: string) => {
      const name = braced ?? bare ?? '';
      const context = scoped?.__dataContext?.value as
        | { frame: DataFrame; field: DataFrame['fields'][number]; rowIndex?: number }
        | undefined;
      const [, label] = /^__field\.labels\.(.+)$/.exec(name) ?? [];
      if (label) return context?.field.labels?.[label] ?? '';
      const [, column] = /^__data\.fields\.(.+)$/.exec(name) ?? [];
      if (column) {
        const values = context?.frame.fields.find((field) => field.name === column)?.values;
        return String(values?.[context?.rowIndex ?? 0] ?? '');
      }
      return shown.variables[name] ?? whole;
    });
}

async function load(
  shown: Shown,
  panel: PanelModel,
  width: number,
  theme: GrafanaTheme2,
): Promise<DataFrame[]> {
  const asked = await ask(shown, { targets: panel.targets ?? [], interval: panel.interval }, width);
  const interpolate = fill(shown);
  const configs = (panel.transformations ?? []) as DataTransformerConfig[];
  const transformed =
    configs.length > 0 ? await lastValueFrom(transformDataFrame(configs, asked, { interpolate })) : asked;
  const frames = applyFieldOverrides({
    data: transformed,
    fieldConfig: withDefaults(panel),
    fieldConfigRegistry: REGISTRY,
    replaceVariables: interpolate,
    theme,
    timeZone: 'utc',
  });
  cacheFieldDisplayNames(frames);
  return frames;
}

/** What Grafana's time series panel does before it draws: gaps where steps are missing, and where values are not finite. */
function graphable(original: DataFrame, { range }: Shown): DataFrame {
  const frame = applyNullInsertThreshold({
    frame: original,
    refFieldPseudoMin: range.from.valueOf(),
    refFieldPseudoMax: range.to.valueOf(),
  });
  const fields = frame.fields.map((field) =>
    field.type === 'number'
      ? { ...field, values: field.values.map((value) => (Number.isFinite(value) ? value : null)) }
      : field,
  );
  return { ...frame, fields };
}

const isEmpty = (frames: readonly DataFrame[]) =>
  frames.every(({ fields, length }) => length === 0 || !fields.some(({ type }) => type === 'number'));

export function Panel({
  panel,
  shown,
  annotations,
  size,
  onReady,
}: {
  panel: PanelModel;
  shown: Shown;
  annotations: readonly Annotation[];
  size: { width: number; height: number };
  onReady: () => void;
}) {
  const theme = useTheme2();
  const [frames, setFrames] = useState<DataFrame[]>();
  const [error, setError] = useState('');
  // biome-ignore lint/correctness/useExhaustiveDependencies: a page shows one thing, once.
  useEffect(() => {
    load(shown, panel, size.width, theme)
      .then(setFrames, (reason) => setError(String(reason)))
      .finally(onReady);
  }, []);
  return (
    <PanelChrome title={panel.title} description={panel.description} statusMessage={error} {...size}>
      {(width: number, height: number) =>
        frames === undefined ? (
          <div data-error>{error}</div>
        ) : isEmpty(frames) && panel.type !== 'stat' ? (
          <div data-empty style={{ display: 'grid', placeItems: 'center', width, height }}>
            {panel.fieldConfig?.defaults.noValue ?? 'No data'}
          </div>
        ) : (
          draw({ panel, frames, shown, annotations, theme, width, height })
        )
      }
    </PanelChrome>
  );
}

interface Drawing {
  readonly panel: PanelModel;
  readonly frames: DataFrame[];
  readonly shown: Shown;
  readonly annotations: readonly Annotation[];
  readonly theme: GrafanaTheme2;
  readonly width: number;
  readonly height: number;
}

function draw(drawing: Drawing) {
  const { panel, frames, shown, annotations, theme, width, height } = drawing;
  const { options } = panel;
  switch (panel.type) {
    case 'timeseries':
      return (
        <TimeSeries
          frames={frames.map((frame) => graphable(frame, shown))}
          timeRange={shown.range}
          timeZone="utc"
          legend={options.legend}
          width={width}
          height={height}
        >
          {(builder) => {
            annotate(builder, annotations, theme);
            return null;
          }}
        </TimeSeries>
      );
    case 'table':
      return (
        <TableNG
          data={frames[0] as DataFrame}
          width={width}
          height={height}
          noHeader={!options.showHeader}
          cellHeight={options.cellHeight}
          sortBy={options.sortBy}
          fieldConfig={panel.fieldConfig}
          timeRange={shown.range}
          resizable
          enableVirtualization={false}
        />
      );
    case 'stat': {
      const values = getFieldDisplayValues({
        fieldConfig: panel.fieldConfig as FieldConfigSource,
        reduceOptions: options.reduceOptions,
        replaceVariables: fill(shown),
        theme,
        data: frames,
        sparkline: options.graphMode !== 'none',
        timeZone: 'utc',
      });
      return (
        <VizRepeater
          source={values}
          getValues={() => values}
          renderValue={({ value, width, height, count }) => (
            <BigValue
              theme={theme}
              value={value.display}
              sparkline={value.sparkline}
              colorMode={options.colorMode}
              graphMode={options.graphMode}
              justifyMode={options.justifyMode}
              textMode={options.textMode}
              text={options.text}
              count={count}
              width={width}
              height={height}
            />
          )}
          renderCounter={0}
          autoGrid
          width={width}
          height={height}
          orientation={options.orientation}
        />
      );
    }
    case 'heatmap':
      return (
        <Heatmap frames={frames} {...{ shown, width, height, theme }} reverse={options.color?.reverse} />
      );
    default:
      throw new Error(`cannot draw a ${panel.type}: ${panel.title}`);
  }
}
