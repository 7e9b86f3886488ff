// The parts of Apache ECharts that the page uses.

import { use } from 'echarts/core';
import { BarChart, CustomChart, GraphChart, LineChart, ScatterChart } from 'echarts/charts';
import { AriaComponent, GridComponent, MarkLineComponent, TooltipComponent } from 'echarts/components';
import { SVGRenderer } from 'echarts/renderers';

use([BarChart, CustomChart, GraphChart, LineChart, ScatterChart, AriaComponent, GridComponent, MarkLineComponent, TooltipComponent, SVGRenderer]);

export { init } from 'echarts/core';
