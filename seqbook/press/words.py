"""The few words that the press itself writes, in each language."""

WORDS = {
    "en": {
        "checked": "checked",
        "measured": "measured when this book was built",
        "script": "The script that drew this",
        "minutes": "{} min read",
        "ran": "Run and checked for this page: code blocks {blocks}, numbers "
        "{numbers}. {versions}. {date}.",
        "ledger": "All numbers",
        "number": "Number",
        "expression": "Expression",
        "value": "Value",
        "source": "Source",
        "page": "Page",
        "cited": "Cited in",
        "comma": ", ",
        "notebook": "Download this experiment as a notebook",
        "colab": "Open it in Colab",
    },
    "zh": {
        "checked": "已核对",
        "measured": "构建本书时测得",
        "script": "画这张图的脚本",
        "minutes": "阅读约 {} 分钟",
        "ran": "本页运行并核对：代码块 {blocks} 个，数字 {numbers} 个；"
        "{versions}；{date}。",
        "ledger": "全部数字",
        "number": "数字",
        "expression": "表达式",
        "value": "值",
        "source": "出处",
        "page": "页面",
        "cited": "引用于",
        "comma": "、",
        "notebook": "下载这个实验的笔记本",
        "colab": "在 Colab 中打开",
    },
}
