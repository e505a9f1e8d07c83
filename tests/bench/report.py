"""What a benchmark prints: a line for each figure, with what it must be and what is wanted."""


class Report:
    def __init__(self):
        self.failed = False
        print(f"{'row':<58} {'must':>9} {'wanted':>9} {'measured':>9}  ok")

    def line(self, text, must, wanted, value, at_least=False, form="{:.2f}"):
        good = value >= must if at_least else value <= must
        best = value >= wanted if at_least else value <= wanted
        sign = ">= " if at_least else "<= "
        self.failed = self.failed or not good
        print(f"{text:<58} {sign + form.format(must):>9} {sign + form.format(wanted):>9} {form.format(value):>9}  "
              f"{'wanted' if best else 'yes' if good else 'NO'}", flush=True)

    def fact(self, text, value):
        print(f"{text:<58} {'':>9} {'':>9} {value:>9}", flush=True)
